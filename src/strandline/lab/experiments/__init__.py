"""The papers' tables and figures, re-run beside the printed ones."""
