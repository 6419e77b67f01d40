import { t } from './translate.ts'

export const resources = {
  title: t('Resources'),
  lead: t('APIs with access tokens of their own. A client that requests one gets tokens that work only there.'),
  add: t('Add resource'),
  createTitle: t('Add a resource'),
  editTitle: (name: string) => t('Edit {name}', { name }),
  created: t('The resource was added.'),
  name: t('Name'),
  nameText: t('People see it when they are asked for consent.'),
  uri: t('URI'),
  uriText: t(
    'The address of the API, such as https://api.example.com/mcp. It is the audience of the tokens and cannot be changed later.',
  ),
  copyUri: (name: string) => t('Copy the URI of {name}', { name }),
  scopes: t('Scopes'),
  scopesText: t('The scopes of this API. A client can request those that it lists too. Type one and press Enter.'),
  allowedClients: t('Clients of other applications'),
  allowedClientsText: t('The client ids of other applications that may request tokens. Type one and press Enter.'),
  allowDynamicClients: t('Open to clients that nobody registered'),
  allowDynamicClientsText: t(
    'Software that identifies itself by a URL, or registers itself, can request tokens. People are always asked for consent.',
  ),
  edit: t('Edit'),
  editOf: (name: string) => t('Edit {name}', { name }),
  delete: t('Delete'),
  deleteOf: (name: string) => t('Delete {name}', { name }),
  deleteQuestion: (name: string) => t('Delete {name}?', { name }),
  deleteText: t('All tokens for it end, and nobody can request new ones. This cannot be undone.'),
  deleteAction: t('Delete resource'),
  wasDeleted: (name: string) => t('{name} was deleted.', { name }),
  none: {
    title: t('No resources yet'),
    text: t('Without resources, access tokens are for the application as a whole.'),
  },
}
