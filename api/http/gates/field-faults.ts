// Faults of a request that its schema does not see: text that cannot be kept, card numbers, and
// rules of the route. One refusal names those of all fields, ten at most, like that of a schema.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { FAULTS_MAX } from './all-faults.ts'
import { CARD_NUMBER_MESSAGE, holdsCardNumber } from './card-numbers.ts'
import { eachText } from './texts.ts'
import { type FieldError, paramName, refusalOf } from './validate.ts'

/**
 * Refuses text that cannot be stored unchanged: PostgreSQL takes no NUL, and half a surrogate pair
 * would come back as another character. Stands before every schema, so that no field can forget it.
 */
export function refuseUnkeepable(request: FastifyRequest): void {
  let isKeepable = true
  const look = (text: string): void => {
    isKeepable &&= keepable(text)
  }
  eachText(request.query, look)
  eachText(request.body, look)
  if (!isKeepable) refuseFaults(textFaults(request))
}

/** Refuses (400) the fields that hold a card number, and a body that breaks a rule of its route. */
export function refuseFields(request: FastifyRequest): void {
  refuseFaults([...ruleFaults(request), ...textFaults(request)])
}

function refuseFaults([first, ...others]: readonly FieldError[]): void {
  if (first !== undefined) throw refusalOf(first, others.slice(0, FAULTS_MAX - 1))
}

/** One fault for each field, in the order of the request. */
function textFaults({ routeOptions, query, body }: FastifyRequest): FieldError[] {
  const faults = new Map<string, FieldError>()
  const { route } = routeOptions.config
  const lookIn = (part: 'query' | 'body') => (text: string, pointer: string) => {
    const field = part + pointer
    if (faults.size === FAULTS_MAX || faults.has(field)) return
    const isCardNumber = route !== undefined && holdsCardNumber(text, field, route)
    const message = keepable(text) ? (isCardNumber ? CARD_NUMBER_MESSAGE : null) : UNKEEPABLE
    if (message === null) return
    faults.set(field, {
      code: 'parameter_invalid',
      param: paramName(pointer.toWellFormed()),
      message,
    })
  }
  eachText(query, lookIn('query'))
  eachText(body, lookIn('body'))
  return [...faults.values()]
}

const UNKEEPABLE = 'This field has characters or a form that is not accepted.'

function keepable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The fault that the route's own rule finds in a body. Throws a refusal of any other kind. */
function ruleFaults({ routeOptions, body }: FastifyRequest): FieldError[] {
  try {
    routeOptions.config.route?.check?.(body)
    return []
  } catch (error) {
    if (!(error instanceof Refusal) || error.detail.extra !== undefined) throw error
    const { code, message, detail } = error
    if (code !== 'parameter_invalid' && code !== 'parameter_missing') throw error
    return [{ code, param: detail.param ?? null, message }]
  }
}
