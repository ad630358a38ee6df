"""The foundation of all packages: errors, axis names, downloads, atomic files."""
