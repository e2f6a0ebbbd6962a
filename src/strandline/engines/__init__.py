"""Where heavy work is run: here, in processes of their own, or on many machines; and the Parquet it reads."""
