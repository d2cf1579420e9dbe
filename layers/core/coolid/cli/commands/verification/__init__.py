"""The console command that verifies records: `coolid verify`."""
