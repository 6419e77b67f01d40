import { AppError } from '../errors.ts'
import { isCommonPassword } from './common-passwords.ts'
import { hashPassword } from './passwords.ts'
import type { User } from './store.ts'

const SHORTEST = 8
/** Whoever can do everything should be hard to impersonate (NIST SP 800-63B-4 asks for this length). */
const SHORTEST_OF_SUPER_ADMIN = 15
const LONGEST = 1024

/** What about a person decides which passwords will do. */
export interface PasswordTraits {
  email: string
  /** Whatever they are called: given, family and display name, nickname, user name. */
  names: (string | null | undefined)[]
  superAdmin: boolean
}

type Named = Pick<
  User,
  'email' | 'given_name' | 'family_name' | 'display_name' | 'nickname' | 'username' | 'is_super_admin'
>

export const traitsOf = (user: Named): PasswordTraits => ({
  email: user.email,
  names: [user.given_name, user.family_name, user.display_name, user.nickname, user.username],
  superAdmin: user.is_super_admin,
})

/** The hash of a password that a person has chosen, or WEAK_PASSWORD. */
export async function hashChosenPassword(password: string, person: PasswordTraits): Promise<string> {
  requireStrongPassword(password, person)
  return hashPassword(password)
}

/** Throws WEAK_PASSWORD, which says why. */
export function requireStrongPassword(password: string, person: PasswordTraits): void {
  const problem = passwordProblem(password, person)
  if (problem) throw new AppError('WEAK_PASSWORD', { message: problem })
}

/** Why a password cannot be used; undefined when it can. A character is a code point, after normalisation. */
export function passwordProblem(password: string, person: PasswordTraits): string | undefined {
  const shortest = person.superAdmin ? SHORTEST_OF_SUPER_ADMIN : SHORTEST
  const length = [...password.normalize('NFKC')].length
  if (length < shortest) return `The password must have at least ${shortest} characters.`
  if (length > LONGEST) return `The password must have at most ${LONGEST} characters.`
  if (isCommonPassword(password)) return 'This password is one of the first that others try. Choose another.'
  if (saysWhoItIs(password, person))
    return 'A name or an e-mail address of your own is no password. Choose another.'
  return undefined
}

/** Whether it says no more than whose it is: their address, or one or two of their names. */
function saysWhoItIs(password: string, { email, names }: PasswordTraits): boolean {
  const called = names.map((name) => bare(name ?? ''))
  const pairs = called.flatMap((first) => called.map((second) => first + second))
  const address = [email, email.slice(0, email.lastIndexOf('@'))].map(bare)
  const secret = bare(password)
  return secret !== '' && [...address, ...called, ...pairs].includes(secret)
}

/** Without letter case, and without what separates the parts of names and addresses. */
const bare = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s.,'’_+@-]/gu, '')
