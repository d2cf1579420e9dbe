"""`coolid custody`: offers of records to other operators, and acceptances of theirs."""
