"""Several videos of the same moment become one 3D motion.

`run` has the steps in their order. Its files are imported one by one: `poselift lift` needs only one of them.
"""
