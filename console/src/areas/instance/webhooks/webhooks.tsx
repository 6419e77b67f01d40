import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const WebhooksPlace = () => <Page title={shell.nav.instance.webhooks}>{null}</Page>
