"""What people are told, and how it reaches them: alerts of changes, alarms, mail, webhooks and feeds."""
