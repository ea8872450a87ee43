// Entry point of mail: written with its cause, sent by a job.
export { endMails, mailJob, purgeMails } from './send.ts'
export { readSmtpSettings, type SmtpSettings } from './smtp.ts'
export { LIFETIMES, type SecurityChange } from './templates.ts'
export { type MailWorld, tellPerson, writeMail } from './write-mail.ts'
