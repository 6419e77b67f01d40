import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const NewApplicationPlace = () => <Page title={shell.nav.instance.applications}>{null}</Page>
