"""The commands behind tools/ and the `poselift` console script."""
