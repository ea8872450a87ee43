-- The approver proved the approval with a passkey. One by a credential alone counts only while a
-- credential alone may approve: it ends when an operator gets a person with a passkey.
alter table operator_approvals add column is_proved boolean not null default false;
