import { Switch } from '@mantine/core'
import { clients as text } from '../../../../text/clients.ts'
import type { DraftFields } from './address-fields.tsx'

/** Only a client that authenticates can exchange tokens. */
export const TokenExchangeSwitch = ({ draft, change }: Pick<DraftFields, 'draft' | 'change'>) => (
  <Switch
    label={text.tokenExchange}
    description={text.tokenExchangeText}
    checked={draft.tokenExchange}
    onChange={(event) => change({ tokenExchange: event.currentTarget.checked })}
  />
)
