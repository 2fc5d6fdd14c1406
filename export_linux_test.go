package sluice

// GeometryOfDevice tells the alignment that is taken where statx(2) tells none.
var GeometryOfDevice = geometryOfDevice
