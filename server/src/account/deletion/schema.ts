import { Type } from 'typebox'

export const DeletionRequest = Type.Object(
  {
    confirmation: Type.String({ maxLength: 1000, description: 'Exactly: DELETE MY ACCOUNT' }),
    password: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'Only who has none may leave it out, just after signing in',
      }),
    ),
  },
  { title: 'DeletionRequest' },
)
