import { loadAsset } from './asset.ts'

export const stylesheet = loadAsset('style', 'css')
