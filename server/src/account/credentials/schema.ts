import { Type } from 'typebox'

/** The password policy is checked later, with messages of its own. */
const Password = Type.String({ maxLength: 4096 })

export const ChangePasswordRequest = Type.Object(
  { currentPassword: Password, newPassword: Password },
  { title: 'ChangePasswordRequest' },
)

export const ChangeEmailRequest = Type.Object(
  {
    newEmail: Type.String({ maxLength: 1000 }),
    password: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'Required, unless the account has no password and the sign-in is recent',
      }),
    ),
  },
  { title: 'ChangeEmailRequest' },
)
