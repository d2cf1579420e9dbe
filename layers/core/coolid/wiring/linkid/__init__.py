"""The wiring of what services of several operators do together with LinkIDs."""
