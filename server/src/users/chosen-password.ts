import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { isCommonPassword } from './common-passwords.ts'
import { hashPassword } from './passwords.ts'
import type { User } from './store.ts'

const MIN_LENGTH = 8
/** NIST SP 800-63B-4 requires this length for a password without a second factor. */
const MIN_LENGTH_SUPER_ADMIN = 15
const MAX_LENGTH = 1024

/** The properties of an account that the password policy depends on. */
export interface PasswordTraits {
  email: string
  /** Given, family and display name, nickname, user name. */
  names: (string | null | undefined)[]
  superAdmin: boolean
}

type NamedUser = Pick<
  User,
  'email' | 'given_name' | 'family_name' | 'display_name' | 'nickname' | 'username' | 'is_super_admin'
>

export const toPasswordTraits = (user: NamedUser): PasswordTraits => ({
  email: user.email,
  names: [user.given_name, user.family_name, user.display_name, user.nickname, user.username],
  superAdmin: user.is_super_admin,
})

/** Throws WEAK_PASSWORD when the policy forbids the password. */
export async function hashChosenPassword(password: string, person: PasswordTraits): Promise<string> {
  requireStrongPassword(password, person)
  return hashPassword(password)
}

export function requireStrongPassword(password: string, person: PasswordTraits): void {
  const problem = passwordProblem(password, person)
  if (problem) throw new AppError('WEAK_PASSWORD', { message: problem })
}

/** The reason why the policy forbids a password; undefined when it does not. Length is in code points after NFKC. */
export function passwordProblem(password: string, person: PasswordTraits): string | undefined {
  const minLength = person.superAdmin ? MIN_LENGTH_SUPER_ADMIN : MIN_LENGTH
  const length = [...password.normalize('NFKC')].length
  if (length < minLength) return t('The password must have at least {min} characters.', { min: minLength })
  if (length > MAX_LENGTH) return t('The password must have at most {max} characters.', { max: MAX_LENGTH })
  if (isCommonPassword(password)) return t('This password is one of the first that others try. Choose another.')
  if (isOwnName(password, person)) return t('A name or an email address of your own is no password. Choose another.')
  return undefined
}

/** Whether the password is only the person's address, or one or two of their names. */
function isOwnName(password: string, { email, names }: PasswordTraits): boolean {
  const simpleNames = names.map((name) => simplify(name ?? ''))
  const pairs = simpleNames.flatMap((first) => simpleNames.map((second) => first + second))
  const addresses = [email, email.slice(0, email.lastIndexOf('@'))].map(simplify)
  const simplePassword = simplify(password)
  return simplePassword !== '' && [...addresses, ...simpleNames, ...pairs].includes(simplePassword)
}

/** Lower case, without the separators of names and addresses. */
const simplify = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s.,'’_+@-]/gu, '')
