// New passwords that somebody would try first are refused, whoever chooses them and in any case.
import { test } from 'tap'
import { passwordProblem } from '../../api/access/web/new-password.ts'

const GRACE = { email: 'grace.hopper@navy.example', names: ['Grace Hopper', 'Navy Ltd'] }

const SHORT = /at least 12 characters/
const OWN = /Your address, your name, your company and svc/
const GUESSED = /among the first that are tried/

test('a password that is guessed first is refused with what to do', async (t) => {
  for (const [password, sentence] of [
    ['kX9-vq2!mZt', SHORT],
    ['', SHORT],
    ['grace.hopper@navy.example', OWN],
    ['Grace.Hopper', OWN],
    ['gracehoppergrace', OWN],
    ['GraceHopper1906', OWN],
    ['Hopper-Grace-99!', OWN],
    ['NavyLtd2026!!', OWN],
    ['svcsvcsvcsvc', OWN],
    ['svc-navy-2026', OWN],
    ['passwordpassword', GUESSED],
    ['Password123!', GUESSED],
    ['P@ssw0rd2026!', GUESSED],
    ['letmeinletmein', GUESSED],
    ['administrator', GUESSED],
    ['summer2026!!', GUESSED],
    ['monkeydragon1', GUESSED],
    ['gracehopper123456', GUESSED],
    ['qwertyuiopas', GUESSED],
    ['1qaz2wsx3edc', GUESSED],
    ['123456789012', GUESSED],
    ['abcdefghijklm', GUESSED],
    ['aaaaaaaaaaaaaa', GUESSED],
    ['abcabcabcabc', GUESSED],
    ['20261128201128', GUESSED],
    ['p4$$w0rd'.repeat(32), GUESSED],
  ] as const)
    t.match(await passwordProblem(password, GRACE), { status: 422, sentence }, password)
})

test('a password that is hard to guess is taken, also with a short word of its person', async (t) => {
  for (const password of [
    'correct horse battery',
    'another long secret',
    'mein hund heisst rex',
    'kX9-vq2!mZtR',
    'grace likes compilers',
    'пароль из трёх слов',
    '🌧️ über den Dächern',
    '$2b$ 4x!'.padEnd(256, 'the quick brown fox over it '),
  ])
    t.equal(await passwordProblem(password, GRACE), null, password)
  const short = { email: 'a@b.example', names: ['Al'] }
  t.equal(await passwordProblem('correct horse battery', short), null)
})
