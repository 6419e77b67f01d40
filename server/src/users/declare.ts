import { type Static, Type } from 'typebox'
import { OPERATOR } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Change, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { noteChange } from './operated.ts'
import { passwordHashProblem } from './password-hashes.ts'
import { isUnproven } from './placeholders.ts'
import { changeUser, createUser } from './service.ts'
import { listUsersByEmail, lockUser, type User, type UserChange } from './store.ts'

const DeclaredUser = Type.Object(
  {
    email: Type.String(),
    /** Given to a person who is new. Whoever is here already keeps the password they chose. */
    password: Type.Optional(Type.String()),
    /** Given to a person who is new, instead of a password: its hash, from the system they come from. */
    passwordHash: Type.Optional(Type.String()),
    /** Whether a password opens the account at all. */
    passwordSignIn: Type.Optional(Type.Boolean()),
    givenName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    familyName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    superAdmin: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
type DeclaredUser = Static<typeof DeclaredUser>

export const usersSection: Section = {
  key: 'users',
  entry: DeclaredUser,
  async plan(ctx, entries) {
    const declared = (entries as DeclaredUser[]).map((entry) => ({ ...entry, email: canonical(entry.email) }))
    const emails = declared.map(({ email }) => email)
    const twice = emails.find((email, index) => emails.indexOf(email) !== index)
    if (twice) throw new OperatorError(`The declaration lists the user ${twice} twice.`)
    declared.forEach(requireUsableHash)
    // An address that nobody has proven is nobody's yet.
    const here = (await listUsersByEmail(ctx.db, emails)).filter((user) => !isUnproven(user))
    const existing = new Map(here.map((user) => [user.email, user]))
    return declared.flatMap((entry) => {
      const user = existing.get(entry.email)
      return user ? planUpdate(ctx, user, entry) : planCreation(ctx, entry)
    })
  },
}

function canonical(text: string): string {
  const email = parseEmail(text)
  if (!email)
    throw new OperatorError(`The declaration lists a user whose email is "${text}": that is no address.`)
  return email
}

function requireUsableHash({ email, password, passwordHash }: DeclaredUser): void {
  if (passwordHash === undefined) return
  if (password !== undefined)
    throw new OperatorError(`The user ${email} is declared with a password and a passwordHash: one will do.`)
  const problem = passwordHashProblem(passwordHash)
  if (problem) throw new OperatorError(`The passwordHash of the user ${email} cannot be taken: ${problem}`)
}

const planCreation = (ctx: Ctx, entry: DeclaredUser): Change[] => [
  {
    action: 'create',
    subject: `user ${entry.email}`,
    fields: [
      ...(entry.superAdmin ? ['Super Admin'] : []),
      ...(entry.passwordSignIn === false ? ['no sign-in by password'] : []),
    ],
    apply: (tx) => createUser(ctx, tx, { ...entry, superAdmin: entry.superAdmin ?? false }, OPERATOR),
  },
]

/** What a declaration may change about a person, and where it is kept. */
const COLUMNS = {
  givenName: 'given_name',
  familyName: 'family_name',
  displayName: 'display_name',
  superAdmin: 'is_super_admin',
  passwordSignIn: 'password_sign_in',
} as const satisfies Partial<Record<keyof DeclaredUser, keyof UserChange>>

function planUpdate(ctx: Ctx, user: User, entry: DeclaredUser): Change[] {
  const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]
  // What the declaration leaves out is left alone.
  const changed = names.filter((name) => entry[name] !== undefined && entry[name] !== user[COLUMNS[name]])
  if (changed.length === 0) return []
  const change: UserChange = Object.fromEntries(changed.map((name) => [COLUMNS[name], entry[name]]))
  return [
    {
      action: 'update',
      subject: `user ${user.email}`,
      fields: changed.map(
        (name) => `${name}: ${JSON.stringify(user[COLUMNS[name]])} → ${JSON.stringify(entry[name])}`,
      ),
      async apply(tx) {
        // They may have changed something themselves since the plan was made.
        const now = (await lockUser(tx, user.id)) ?? user
        await noteChange(ctx, tx, { user: now, change, source: OPERATOR })
        await changeUser(ctx, tx, now, change)
      },
    },
  ]
}
