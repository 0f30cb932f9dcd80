"""What every surface over HTTP shares: threads with an open workspace, who calls, what a request may be, counts and logs."""
