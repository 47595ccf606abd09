"""For admins: panels, the doctor, setting up, pausing, and forgetting; free of Discord."""
