// Entry point of pass images.
export { passImageRoutes } from './routes.ts'
export { findPictures, findPublicPicture, type PictureRow } from './store.ts'
