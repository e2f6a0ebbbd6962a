"""Real servers that tests start by themselves: PostgreSQL and an S3 store, from packages of the development setup."""
