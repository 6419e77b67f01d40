import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const KeysPlace = () => <Page title={shell.nav.instance.keys}>{null}</Page>
