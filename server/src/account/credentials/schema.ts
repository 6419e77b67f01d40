import { Type } from 'typebox'

/** What is typed into a field for a password; which will do is judged later, in its own words. */
const Password = Type.String({ maxLength: 4096 })

export const PasswordChange = Type.Object(
  { currentPassword: Password, newPassword: Password },
  { title: 'PasswordChange' },
)

export const EmailChange = Type.Object(
  {
    newEmail: Type.String({ maxLength: 1000 }),
    password: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'Only who has none may leave it out, just after signing in',
      }),
    ),
  },
  { title: 'EmailChange' },
)
