-- In the angle of the crank. The rod is at -psi with l sin(psi) = r sin(phi).
local r, l, g = 0.1, 0.3, 9.81
local phi = coordinate "phi"
local s = r*sin(phi)/l
local x = r*cos(phi) + l*sqrt(1 - s^2)
local psi = asin(s)
local middle = vector{r*cos(phi) + l/2*sqrt(1 - s^2), r*sin(phi)/2}
lagrangian(0.5*r^2/6*phi.dot^2 + norm2(middle.dot)/2 + l^2/24*psi.dot^2 + 0.7/2*x.dot^2 -
           0.5*g*r*sin(phi)/2 - g*middle.y)
force(phi, 0.5)
start { phi = 0.7, ["phi.dot"] = 10 }
observe("main_angle", phi)
observe("bore_slide", x - r - l)
observe("link_angle", -psi)
