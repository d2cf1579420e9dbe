"""The function that keeps the index of records by their terms (`coolid.aws.dynamodb.postings`) for searches.

`stream_consumer` reads the stream of the table of records. `completion` reads the table, for records that were written
before the index existed. `index_writer` writes the postings of both.
"""
