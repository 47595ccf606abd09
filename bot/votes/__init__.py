"""People's votes beside the models' own."""
