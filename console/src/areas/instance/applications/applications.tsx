import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const ApplicationsPlace = () => <Page title={shell.nav.instance.applications}>{null}</Page>
