"""What the processes of a fleet share: their inbox, servers, shards and one another."""
