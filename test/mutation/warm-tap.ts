// Stands in for `tap` where tests run hundreds of times in one process: it registers them, and
// stops at the first failed assertion. It uses the same comparison as tap. A test that uses more of
// tap fails here without any mutant.
import { match, same, strict } from 'tcompare'

interface Registered {
  name: string
  body: (t: WarmTest) => unknown
}

/** Thrown by the failed assertion: nothing after it matters. */
class Noticed extends Error {}

const registered: Registered[] = []

export function test(name: string, body: Registered['body']): void {
  registered.push({ name, body })
}

/**
 * Runs the tests registered since the last call, one after the other; returns the first failure, or
 * null.
 */
export async function firstFailure(): Promise<string | null> {
  for (const { name, body } of registered.splice(0)) {
    const failure = await failureOf(body)
    if (failure !== null) return name + ': ' + failure
  }
  return null
}

function failureOf(body: Registered['body']): Promise<string | null> {
  return new Promise<string | null>((resolve) => {
    const t = new WarmTest(resolve)
    const failed = (error: unknown): void => resolve(String(error))
    try {
      const returned = body(t)
      if (returned instanceof Promise) returned.then(() => t.end(), failed)
    } catch (error) {
      failed(error)
    }
  })
}

class WarmTest {
  readonly #over: (failure: string | null) => void

  constructor(over: (failure: string | null) => void) {
    this.#over = over
  }

  end(): void {
    this.#over(null)
  }

  // A test may swallow the exception of an assertion: it has failed all the same.
  fail(message = 'fail'): never {
    this.#over(message)
    throw new Noticed(message)
  }

  pass(): void {}

  ok(value: unknown, message?: string): void {
    if (!value) this.fail(message)
  }

  notOk(value: unknown, message?: string): void {
    if (value) this.fail(message)
  }

  equal(found: unknown, wanted: unknown, message?: string): void {
    if (found !== wanted) this.fail(message)
  }

  not(found: unknown, unwanted: unknown, message?: string): void {
    if (found === unwanted) this.fail(message)
  }

  same(found: unknown, wanted: unknown, message?: string): void {
    if (!same(found, wanted).match) this.fail(message)
  }

  strictSame(found: unknown, wanted: unknown, message?: string): void {
    if (!strict(found, wanted).match) this.fail(message)
  }

  match(found: unknown, wanted: unknown, message?: string): void {
    if (!match(found, wanted).match) this.fail(message)
  }

  notMatch(found: unknown, unwanted: unknown, message?: string): void {
    if (match(found, unwanted).match) this.fail(message)
  }

  type(value: unknown, wanted: string): void {
    this.equal(typeof value, wanted)
  }

  /** The expected error; a text only names the assertion. */
  throws(body: () => unknown, wanted?: unknown): void {
    let thrown: unknown = null
    try {
      body()
    } catch (error) {
      thrown = error
    }
    if (thrown === null) this.fail('nothing was thrown')
    if (wanted instanceof RegExp) this.match(String(thrown), wanted)
    else if (typeof wanted === 'object') this.match(thrown, wanted)
  }
}
