import { type Static, Type } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Change, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { changeUser, createUser } from './service.ts'
import { listUsersByEmail, type User, type UserChange } from './store.ts'

const DeclaredUser = Type.Object(
  {
    email: Type.String(),
    /** Given to a person who is new. Whoever is here already keeps the password they chose. */
    password: Type.Optional(Type.String()),
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
    const existing = new Map((await listUsersByEmail(ctx.db, emails)).map((user) => [user.email, user]))
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

const planCreation = (ctx: Ctx, entry: DeclaredUser): Change[] => [
  {
    action: 'create',
    subject: `user ${entry.email}`,
    fields: entry.superAdmin ? ['Super Admin'] : [],
    apply: (tx) => createUser(ctx, tx, { ...entry, superAdmin: entry.superAdmin ?? false }),
  },
]

function planUpdate(ctx: Ctx, user: User, entry: DeclaredUser): Change[] {
  // What the declaration leaves out is left alone.
  const wanted: UserChange = {
    ...(entry.givenName !== undefined && { given_name: entry.givenName }),
    ...(entry.familyName !== undefined && { family_name: entry.familyName }),
    ...(entry.displayName !== undefined && { display_name: entry.displayName }),
    ...(entry.superAdmin !== undefined && { is_super_admin: entry.superAdmin }),
  }
  const changed = (Object.keys(wanted) as (keyof UserChange)[]).filter((key) => wanted[key] !== user[key])
  if (changed.length === 0) return []
  return [
    {
      action: 'update',
      subject: `user ${user.email}`,
      fields: changed.map((key) => `${key}: ${JSON.stringify(user[key])} → ${JSON.stringify(wanted[key])}`),
      apply: (tx) => changeUser(ctx, tx, user, wanted),
    },
  ]
}
