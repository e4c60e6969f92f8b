package app

import "runtime"

// roomForGarbage is how much more garbage there may be before it is collected.
const roomForGarbage = 24 << 20

// RoomForGarbage has garbage be collected less often, until release is called. It is collected
// once there is as much as what is in use, and a memd has little in use beside its model, which
// is not Go's: under load it would be done twice a second, for a tenth of the processor's time.
// What is set aside here is never written to and takes no memory; in use it counts all the same.
// A higher GOGC would do this, too, and have what large requests take grow by as many times.
func RoomForGarbage() (release func()) {
	room := make([]byte, roomForGarbage)
	return func() { runtime.KeepAlive(room) }
}
