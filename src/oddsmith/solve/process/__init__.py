"""Questions about processes: reachability, rewards, bounded and long-run behaviour."""
