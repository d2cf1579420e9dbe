"""What the system is about, free of AWS and HTTP: clock, dice and store come in through `coolid.domain.ports`."""
