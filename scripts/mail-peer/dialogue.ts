// The commands of SMTP that the sandbox's mail server understands, and its answers.
import type { SecureContext } from 'node:tls'

/** A mail as it arrived. */
export interface ReceivedMail {
  from: string
  to: readonly string[]
  /** Header and body, without the dots of the protocol. */
  source: Buffer
  /** The connection was encrypted. */
  encrypted: boolean
}

export interface SmtpServerOptions {
  /** 0: any free one. */
  port: number
  /** Offers STARTTLS, or speaks TLS from the first byte where `implicitTls` is set. */
  tls?: SecureContext
  implicitTls?: boolean
  /** Senders have to sign in with these first. */
  account?: { user: string; password: string }
  /** Returns the refusal of a recipient, such as `550 no such mailbox`; null accepts it. */
  refuse(recipient: string): string | null
  receive(mail: ReceivedMail): void
}

const RECIPIENTS_MAX = 100

export interface Dialogue {
  encrypted: boolean
  signedIn: boolean
  from: string | null
  to: string[]
  /** After DATA: the next unit is the message. */
  inData: boolean
}

export function newDialogue(encrypted: boolean): Dialogue {
  return { encrypted, signedIn: false, from: null, to: [], inData: false }
}

interface Answer {
  text: string
  then: 'close' | 'encrypt' | null
}

function say(text: string, then: Answer['then'] = null): Answer {
  return { text: text + '\r\n', then }
}

/** Answers a line, or a message after DATA. */
export function answerTo(options: SmtpServerOptions, dialogue: Dialogue, unit: Buffer): Answer {
  if (dialogue.inData) return takeMessage(options, dialogue, unit)
  const line = unit.toString('utf8').replace(/\r\n$/, '')
  const [verb = ''] = line.split(/[ :]/, 1)
  const command = COMMANDS[verb.toUpperCase()]
  return command === undefined
    ? say('502 no such command')
    : command(options, dialogue, line.slice(verb.length + 1).trim())
}

type Command = (options: SmtpServerOptions, dialogue: Dialogue, rest: string) => Answer

const COMMANDS: { readonly [verb: string]: Command } = {
  EHLO: greet,
  HELO: () => say('250 inbox.localhost'),
  STARTTLS: ({ tls }, dialogue) =>
    tls === undefined || dialogue.encrypted
      ? say('502 no such command')
      : say('220 go ahead', 'encrypt'),
  AUTH: signIn,
  MAIL: beginMail,
  RCPT: addRecipient,
  DATA: (_options, dialogue) => {
    if (dialogue.to.length === 0) return say('503 name a recipient first')
    dialogue.inData = true
    return say('354 end with a dot')
  },
  RSET: (_options, dialogue) => {
    Object.assign(dialogue, { from: null, to: [] })
    return say('250 forgotten')
  },
  NOOP: () => say('250 fine'),
  QUIT: () => say('221 bye', 'close'),
}

function greet({ tls, account }: SmtpServerOptions, { encrypted }: Dialogue): Answer {
  const offers = [
    'inbox.localhost',
    '8BITMIME',
    'SMTPUTF8',
    ...(tls === undefined || encrypted ? [] : ['STARTTLS']),
    ...(account === undefined ? [] : ['AUTH PLAIN']),
  ]
  return say(
    offers.map((offer, at) => '250' + (at === offers.length - 1 ? ' ' : '-') + offer).join('\r\n'),
  )
}

function signIn({ account }: SmtpServerOptions, dialogue: Dialogue, rest: string): Answer {
  const [, encoded = ''] = /^PLAIN (\S+)$/i.exec(rest) ?? []
  const [, user, password] = Buffer.from(encoded, 'base64').toString('utf8').split('\0')
  if (account === undefined) return say('502 no such command')
  if (user !== account.user || password !== account.password) return say('535 wrong password')
  dialogue.signedIn = true
  return say('235 welcome')
}

function beginMail({ account }: SmtpServerOptions, dialogue: Dialogue, rest: string): Answer {
  const address = /^FROM:\s*<([^<>]*)>/i.exec(rest)?.[1]
  if (account !== undefined && !dialogue.signedIn) return say('530 sign in first')
  if (address === undefined) return say('501 no sender')
  Object.assign(dialogue, { from: address, to: [] })
  return say('250 sender taken')
}

function addRecipient(options: SmtpServerOptions, dialogue: Dialogue, rest: string): Answer {
  const address = /^TO:\s*<([^<>]+)>/i.exec(rest)?.[1]
  if (dialogue.from === null) return say('503 name a sender first')
  if (address === undefined || dialogue.to.length >= RECIPIENTS_MAX) return say('501 no recipient')
  const refusal = options.refuse(address)
  if (refusal !== null) return say(refusal)
  dialogue.to.push(address)
  return say('250 recipient taken')
}

function takeMessage(options: SmtpServerOptions, dialogue: Dialogue, unit: Buffer): Answer {
  const text = unit.toString('latin1').slice(0, -'.\r\n'.length)
  const source = Buffer.from(text.replaceAll(/^\.\./gm, '.'), 'latin1')
  const { from, to, encrypted } = dialogue
  Object.assign(dialogue, { from: null, to: [], inData: false })
  options.receive({ from: from ?? '', to, source, encrypted })
  return say('250 received')
}
