// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {ERC20Pausable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// The dollar of the sandbox: 6 decimals, minted by its owner, with the pause, the blocklist and the
/// random nonces of the tokens that live uses.
contract UsdToken is ERC20Pausable, ERC3009, Ownable {
    mapping(address account => bool) public blocked;

    error Blocked(address account);

    constructor(address owner_) ERC20("Sandbox Dollar", "USDS") EIP712("Sandbox Dollar", "1") Ownable(owner_) {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function setPaused(bool paused_) external onlyOwner {
        if (paused_) _pause();
        else _unpause();
    }

    function setBlocked(address account, bool blocked_) external onlyOwner {
        blocked[account] = blocked_;
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Pausable) {
        require(!blocked[from], Blocked(from));
        require(!blocked[to], Blocked(to));
        super._update(from, to, value);
    }
}
