import { Type } from 'typebox'

export const DeleteAccountRequest = Type.Object(
  {
    confirmation: Type.String({ maxLength: 1000, description: 'Exactly: DELETE MY ACCOUNT' }),
    password: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'Required, unless the account has no password and the sign-in is recent',
      }),
    ),
  },
  { title: 'DeleteAccountRequest' },
)
