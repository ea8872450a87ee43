-- History that svc_app may add to and never change. Run as svc_migrate after every migration.
revoke update, delete, truncate on audit_log, factor_evidence, ledger_transfers from svc_app;
revoke insert, update, delete, truncate on migration_history from svc_app;
