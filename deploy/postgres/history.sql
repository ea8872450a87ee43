-- History that svc_app may add to and never change. Run as svc_migrate after every migration.
revoke update, delete, truncate on audit_log, factor_evidence, ledger_transfers from svc_app;
revoke insert, update, delete, truncate on migration_history from svc_app;

-- PostgreSQL lets everybody call a function. Two have the rights of their owner.
revoke execute on all functions in schema public from public;
grant execute on all functions in schema public to svc_app, svc_backup;
revoke execute on function drop_day(text), make_days(bigint, integer) from svc_backup;
