import { describe, expect, it } from 'vitest'
import { createCenteredCrop, isCenteredCrop, limitCropToImage, sideLengthOfCrop } from './crop.ts'

const wide = { naturalWidth: 400, naturalHeight: 200 }

describe('the square crop of an image', () => {
  it('a new crop is the largest square in the center of the image', () => {
    expect(createCenteredCrop(wide)).toEqual({ x: 200, y: 100, zoom: 1 })
    expect(sideLengthOfCrop(wide, createCenteredCrop(wide))).toBe(200)
  })

  it('a crop counts as unchanged until the user moves or reduces it', () => {
    expect(isCenteredCrop(wide, createCenteredCrop(wide))).toBe(true)
    expect(isCenteredCrop(wide, limitCropToImage(wide, { x: 201, y: 100, zoom: 1 }))).toBe(false)
    expect(isCenteredCrop(wide, limitCropToImage(wide, { x: 200, y: 100, zoom: 1.05 }))).toBe(false)
    // A wide image has no vertical room to move.
    expect(isCenteredCrop(wide, limitCropToImage(wide, { x: 200, y: 90, zoom: 1 }))).toBe(true)
  })

  it('a crop has half the side length if the zoom doubles', () => {
    expect(sideLengthOfCrop(wide, { x: 200, y: 100, zoom: 2 })).toBe(100)
  })

  it('a crop never extends beyond the image', () => {
    expect(limitCropToImage(wide, { x: -50, y: 500, zoom: 1 })).toEqual({ x: 100, y: 100, zoom: 1 })
    expect(limitCropToImage(wide, { x: 390, y: 190, zoom: 4 })).toEqual({ x: 375, y: 175, zoom: 4 })
  })

  it('a crop has a zoom from 1 to 6', () => {
    expect(limitCropToImage(wide, { x: 200, y: 100, zoom: 0.2 }).zoom).toBe(1)
    expect(limitCropToImage(wide, { x: 200, y: 100, zoom: 40 }).zoom).toBe(6)
  })
})
