"""Stage 2: prepared frames become joints and uncertainty. Only this stage knows what runs the lifter."""
