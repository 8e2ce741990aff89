"""The page's server: `oddsmith serve`.

    browser ──HTTP──►  app.py ──►  jobs.py ──►  pool.py ──pipes──►  worker.py ──►  tasks/

The server's own process runs no rules and solves nothing: it checks requests, keeps jobs
(`store.py`) and hands them to workers, which are programs of their own and can be killed.
"""
