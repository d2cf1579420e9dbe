"""What a user's client stores between two runs: private files below `$XDG_STATE_HOME`."""
