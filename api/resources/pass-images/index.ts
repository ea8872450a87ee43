// The door of pass images.
export { passImageRoutes } from './routes.ts'
export { findPictures, type PictureRow } from './store.ts'
