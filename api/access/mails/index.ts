// Entry point of mail: the outbox, and the job that sends it.
export { endMails, mailJob, purgeMails } from './send.ts'
export { readSmtpSettings, type SmtpSettings } from './smtp.ts'
export { LIFETIMES, type SecurityChange } from './templates.ts'
export { type MailWorld, writeMail } from './write-mail.ts'
