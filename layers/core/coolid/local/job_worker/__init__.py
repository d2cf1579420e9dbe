"""The worker of bulk jobs on one machine: a process beside those that serve requests, which runs while there are jobs.

`supervisor` starts the process when a job has work to do, and again if it ends early. `process` is the program, and
`loop` its work. Several workers, or one that was killed and its successor, never carry out a row twice. Each slice of a
job needs the job's lease (`coolid.jobs`).
"""
