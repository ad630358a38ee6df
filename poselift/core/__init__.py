"""The foundation of all packages: errors, axis names, optional packages, downloads, atomic file writing."""
