"""Settings of the whole suite."""

import os

from hypothesis import settings

# The same examples in every run, so that a red run is somebody's change and not bad luck;
# `HYPOTHESIS_PROFILE=explore` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
