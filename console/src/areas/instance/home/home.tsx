import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const HomePlace = () => <Page title={shell.nav.instance.home}>{null}</Page>
