import { Type } from 'typebox'

export const ByApplication = Type.Object({ id: Type.String({ description: 'A UUID' }) })
