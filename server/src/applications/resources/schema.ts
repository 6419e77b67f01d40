import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../../http/routing/pagination.ts'
import { Timestamp } from '../../http/routing/schema.ts'
import { MAX_LIST_ENTRIES } from '../clients/rules.ts'
import { Id, Name, search, sort, texts } from '../schema.ts'
import { MAX_URI_LENGTH } from './rules.ts'

/** The settings of a resource that can be changed, besides its name. */
export const resourceFields = {
  scopes: texts(100, 'Its own scopes. A client may request those that it lists too'),
  allowedClients: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    maxItems: MAX_LIST_ENTRIES,
    description: 'The client ids of clients of other applications that may request tokens for it',
  }),
  allowDynamicClients: Type.Boolean({
    description: 'Clients that no administrator registered may request tokens for it',
  }),
}

export const ResourceBody = Type.Object(
  {
    id: Id,
    applicationId: Id,
    name: Type.String(),
    uri: Type.String(),
    ...resourceFields,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Resource' },
)
export type ResourceBody = Static<typeof ResourceBody>

export const NewResource = Type.Object({
  applicationId: Type.String({ minLength: 1, maxLength: 100 }),
  name: Name,
  uri: Type.String({
    minLength: 1,
    maxLength: MAX_URI_LENGTH,
    description: 'The absolute https URI of the API, which becomes the audience of its tokens; it never changes',
  }),
  ...Type.Partial(Type.Object(resourceFields)).properties,
})

export const ResourceChange = Type.Partial(Type.Object({ name: Name, ...resourceFields }))

export const ResourcePage = Type.Object({ resources: Type.Array(ResourceBody), pagination: Pagination })

export const ResourceQuery = Type.Object({
  ...pageQuery,
  search: search('Only resources whose name or URI contains this text'),
  applicationId: Type.Optional(Type.String({ maxLength: 100, description: 'Only resources of this application' })),
  sort: Type.Optional(sort(['name', 'uri', 'createdAt'])),
})
